// What to do where there is no archive yet.

/** Said of a local archive without messages and files. */
export const NO_ARCHIVE = 'no archive yet: arx import FILE, or arx login --base-url URL; arx help start';
