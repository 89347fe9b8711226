// What the search index gets of a message whose files are all inside of it.
import { searchTextReader } from '../../src/service/mail/search-text.ts';

export const readSearchText = searchTextReader(async () => undefined);
