// The exports of the service for commands that serve archives or change them as a whole: several archives in one database,
// backups, redactions, tokens, events in the background.
export { loadHandlers } from './handlers/route-handlers.ts';
export { createArchiveServices, type ArchiveServices } from './handlers/archive-services.ts';
export type { PostgresServer } from './store/engines/postgres.ts';
export {
  isArchiveName,
  NAME_RULE,
  parseAddress,
  shownAddress,
  withSchema,
  withVariables,
} from './store/engines/postgres-address.ts';
export {
  isBucketAddress,
  parseBucketAddress,
  type BucketPlace,
} from './store/files/bucket/bucket-address.ts';
export { backUp, BackupTargetError, refuseOwnFolder } from './store/backup.ts';
export {
  archiveBytes,
  archiveNames,
  checkDroppable,
  checkMayCreate,
  connectServer,
  describeArchive,
  dropArchive,
  hasQueuedEvents,
  isSchemaDenied,
  upgradeArchive,
  type ArchiveEntry,
} from './store/archives.ts';
export { redact, rowsOfSameFile, unredact } from './store/redaction.ts';
export { issuedTokens, revokeTokens, type IssuedToken } from './store/issued-tokens.ts';
export { createDrain, startWorker } from './store/event-worker.ts';
export { spotCheckFiles } from './store/files/spot-check.ts';
