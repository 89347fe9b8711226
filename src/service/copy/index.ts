// Copies and moves archives.
export { copyArchive, planCopy } from './copy-archive.ts';
export { countFiles, missingFiles } from './copy-files.ts';
export { moveFiles } from './move-files.ts';
export { finishMove, isUnfinishedMove, moveArchive } from './move.ts';
export { checkNewPlace } from '../store/files-mark.ts';
export { CopyTakenOver, CopyTargetError } from './target.ts';
