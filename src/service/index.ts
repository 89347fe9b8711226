// The only door of the service: opening an archive, and the service as a function over it.
export { createService, type ServiceOptions } from './handlers/service.ts';
export { createAssetService } from './handlers/assets.ts';
export {
  asReadable,
  openArchive,
  type OpenArchive,
  type Place,
  ArchiveUnreadable,
  DatabaseTrouble,
  NewerSchema,
  NoArchive,
  OlderSchema,
  OtherFiles,
} from './store/open.ts';
export { failureName, troubleFault } from './store/sql/database-error.ts';
export { backUp, ForeignTarget } from './store/backup.ts';
export { redact, unredact } from './store/redaction.ts';
export type { Archive } from './store/archive.ts';
export { createDrain, startWorker } from './store/event-worker.ts';
export { probeFiles } from './store/files/spot-check.ts';
