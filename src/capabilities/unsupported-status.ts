// How services refuse what they do not know.

/** Status codes with which a service may refuse a route or a parameter that it does not have. They say nothing about a record. */
export const UNSUPPORTED_STATUS: ReadonlySet<number> = new Set([400, 404, 405, 410, 422, 501]);

/** Status codes of a path that a service does not have. */
export const MISSING_STATUS: ReadonlySet<number> = new Set([404, 405, 410, 501]);
