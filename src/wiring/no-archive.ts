// What to do where there is no archive yet.

/** Said of a local archive without messages and files. */
export const NO_ARCHIVE = 'no archive yet: arx import FILE, or arx login --base-url URL; arx help start';

/** The hint of a command that reads a local archive which is not there. */
export const FIRST_STEPS = 'arx import FILE, arx login --base-url URL, or arx demo --keep';
