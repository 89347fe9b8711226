// Vitest loads this before each test file. Its hook runs after all hooks of that file.
import { afterAll } from 'vitest';
import { removeTempFolders } from './temp-folder.ts';

afterAll(removeTempFolders);
