// Opens an archive, and makes the service function and the asset service over it. Every command on a
// local archive loads it, so what only some commands need is in administration.ts.
export { createService, type ServiceOptions } from './handlers/service.ts';
export { createAssetService } from './handlers/assets.ts';
export {
  readOnlyIfNotWritable,
  openArchive,
  openFiles,
  type OpenArchive,
  type ArchiveLocation,
} from './store/open.ts';
export { ArchiveUnreadable, OtherFilesLocation } from './store/opening-error.ts';
export { NewerSchema, OlderSchema } from './store/schema/migrate.ts';
export { NoArchive, NoSchema, UnusableArchive } from './store/sql/unusable-archive.ts';
export { withSystemCode } from './store/archive-folder.ts';
export { failureText } from './store/failure-text.ts';
export {
  DatabaseAccessError,
  errorName,
  accessErrorOf,
  accessFault,
  passingFailure,
  storeFault,
} from './store/sql/database-error.ts';
export type { Archive } from './store/archive.ts';
export { summariesOf } from './store/meta-table/summary.ts';
