// Where an archive keeps its files.

/** Kinds of places for files: the database, a folder, or a bucket of S3. */
export const FILES_PLACES = ['database', 'folder', 'bucket'] as const;
/** One of them. */
export type FilesPlace = (typeof FILES_PLACES)[number];
