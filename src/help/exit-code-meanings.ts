// When a command ends with each exit code, in words.
import type { FaultKind } from '../faults.ts';

/** Kind of a fault → when it happens. `arx help exit-codes` and the manual page print it. */
export const EXIT_CODE_MEANINGS: Record<FaultKind, string> = {
  internal: 'a bug in arx; `ARX_DEBUG=1` shows where',
  usage:
    'a wrong flag, argument or setting, an input file that is wrong or missing, or an argument that the service refuses',
  partial:
    'something could not be given: withheld files, a list that may be incomplete, a page that is not the whole list under `--strict`, nothing to check, a file without a SHA-256, a check of a walk or a pull that did not end, messages that an import refused, rows that a diff cannot classify or that `--cross-check full` could not compare',
  auth: 'no token, an expired token, 401; a database that refuses the user or the password',
  forbidden: '403: the tier or a scope of the token does not allow it',
  not_found: '404, or an archive, a checksum list, or the folder of a pull, bag or walk that does not exist',
  conflict:
    '409: `after` and `before` in the wrong order, an event id with another body, or an event that the service refused',
  unstable:
    'a walk could not settle a place or reach its confidence, the cross-check disagrees, more drift than `--fail-on-drift` or `--threshold` allows, or an acknowledged event that the service does not list',
  busy: '429 or 5xx after all retries; a service whose health says that it is down; a database that is locked or too slow',
  network:
    'DNS, connecting or TLS failed, a timeout, a reset connection, an answer that was cut; also to a database; a request under `--offline`, the end of `--max-time`',
  protocol:
    'an answer is malformed, too large or contradictory; a redirect was refused; the base URL leads to no archive service',
  integrity:
    'a hash or a size differs, the SHA-256 of a file that is asked for is malformed, or a frozen log was altered or cut',
  unsafe:
    'a name, address or target was refused: not a folder or regular file, an origin that is not trusted, or a file that would be overwritten',
  disk: 'the output cannot be written, or a file or folder cannot be read: permission, no space, a failing disk',
  store:
    'settings or stored tokens are damaged, of another program or locked; the archive cannot be read; the database belongs to something else; a check of `arx doctor` failed',
  unconfirmed: 'an event was sent and its outcome is unknown: the message says what to do',
  interrupted:
    'a signal: SIGINT, SIGTERM, SIGHUP, or a closed pipe (silent); `arx serve` ends with 0 on SIGTERM and SIGHUP',
};
