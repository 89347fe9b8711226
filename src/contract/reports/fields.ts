// Fields that all reports share.
import * as z from 'zod';

/** A number of things: an integer, 0 or more. */
export const count = z.number().int().min(0);

/** The version of a report's shape. Fields are only ever added, so it stays 1. */
export const version = z.literal(1);
