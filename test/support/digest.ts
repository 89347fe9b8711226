// Digests of test content.
import { createHash } from 'node:crypto';

/** Returns the SHA-256 as 64 hexadecimal digits. */
export const sha256Of = (content: string | Uint8Array): string => digestOf('sha256', content);

/** Returns the digest by this algorithm of OpenSSL, in hexadecimal digits. */
export const digestOf = (algorithm: string, content: string | Uint8Array): string =>
  createHash(algorithm).update(content).digest('hex');
