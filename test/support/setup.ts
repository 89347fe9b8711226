// Vitest loads this before each test file. Its hook runs after all hooks of that file.
import { afterAll } from 'vitest';
import { endFile } from './file-end.ts';

afterAll(endFile);
