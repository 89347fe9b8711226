// A reason in reports about files. It stands alone, so that a view can name it without loading the schemas.

/** The reason of a file that is missing because the limit of a pull was reached before it was begun. */
export const NOT_BEGUN = 'not begun: --max-bytes was reached';
