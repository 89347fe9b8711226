// The door of the service: opens an archive, and makes the service function and the asset service over it.
export { createService, type ServiceOptions } from './handlers/service.ts';
export { createAssetService } from './handlers/assets.ts';
export { createArchiveServices, type ArchiveServices } from './handlers/archive-services.ts';
export type { PostgresServer } from './store/engines/postgres.ts';
export {
  readOnlyIfNotWritable,
  openArchive,
  openFiles,
  type OpenArchive,
  type ArchiveLocation,
  ArchiveUnreadable,
  DatabaseAccessError,
  NewerSchema,
  NoArchive,
  OlderSchema,
  OtherFilesLocation,
} from './store/open.ts';
export {
  isArchiveName,
  NAME_RULE,
  parseAddress,
  withSchema,
  withVariables,
} from './store/engines/postgres-address.ts';
export {
  isBucketAddress,
  parseBucketAddress,
  type BucketPlace,
} from './store/files/bucket/bucket-address.ts';
export { UnusableArchive } from './store/sql/unusable-archive.ts';
export { errorName, accessErrorOf, accessFault } from './store/sql/database-error.ts';
export { backUp, BackupTargetError, refuseOwnFolder } from './store/backup.ts';
export {
  archiveNames,
  connectServer,
  describeArchive,
  dropArchive,
  hasQueuedEvents,
  upgradeArchive,
  type ArchiveEntry,
} from './store/archives.ts';
export { redact, rowsOfSameFile, unredact } from './store/redaction.ts';
export type { Archive } from './store/archive.ts';
export { summariesOf } from './store/meta-table/summary.ts';
export { createDrain, startWorker } from './store/event-worker.ts';
export { spotCheckFiles } from './store/files/spot-check.ts';
