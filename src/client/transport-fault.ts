// Turns errors of connections (undici, sockets, DNS, TLS) into Faults.
import { Fault, type Hint } from '../faults.ts';
import { TransportFault } from './transport.ts';
import { checkBaseUrl } from './wrong-base-url.ts';

/** Failures before anything was sent. `hint` follows what says to check the base URL. `final`: a retry cannot help. */
const UNREACHED: Record<string, { reason: string; hint?: string; final?: true }> = {
  ECONNREFUSED: { reason: 'refused', hint: ', or start the service there: nothing listens on this port' },
  ENOTFOUND: { reason: 'host name unknown', final: true },
  EAI_AGAIN: { reason: 'name server did not answer' },
  EHOSTUNREACH: { reason: 'no route to host' },
  ENETUNREACH: { reason: 'network unreachable' },
  EADDRNOTAVAIL: { reason: 'address not available' },
  UND_ERR_CONNECT_TIMEOUT: { reason: 'timeout' },
  UND_ERR_PRX_TLS: { reason: 'TLS through the proxy failed', final: true },
  CERT_HAS_EXPIRED: { reason: 'TLS: certificate has expired', final: true },
  CERT_NOT_YET_VALID: { reason: 'TLS: certificate is not valid yet', final: true },
  DEPTH_ZERO_SELF_SIGNED_CERT: { reason: 'TLS: certificate is self-signed', final: true },
  SELF_SIGNED_CERT_IN_CHAIN: { reason: 'TLS: certificate chain is self-signed', final: true },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { reason: 'TLS: certificate issuer is unknown', final: true },
  UNABLE_TO_GET_ISSUER_CERT: { reason: 'TLS: certificate issuer is unknown', final: true },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { reason: 'TLS: certificate issuer is unknown', final: true },
  ERR_TLS_CERT_ALTNAME_INVALID: { reason: 'TLS: certificate is for another name', final: true },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    reason: 'TLS: the server does not speak it here',
    hint: ', with http:// in place of https://',
    final: true,
  },
  EPROTO: { reason: 'TLS: handshake failed', final: true },
};

const TLS_FAILED: (typeof UNREACHED)[string] = { reason: 'TLS failed', final: true };

/** What to do where the proxy does not answer. */
export const CHECK_PROXY: Hint = ({ sourceOf }) => `check ${sourceOf('proxy') ?? '--proxy'}`;

/** Of these and of a failed connect, the proxy is the cause where there is one. */
const ON_THE_WAY: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_PRX_TLS',
]);

/** The fields that are read of an error. Its text is not shown, since it may quote data. */
type Failure = { code?: string; syscall?: string; name?: string; message?: string; errors?: Failure[] };

/**
 * Returns an error of a connection as a Fault 'network' or 'protocol'. `place` is HOST:PORT. `read` says how many bytes of a
 * body had come; it is undefined before the body began. `proxy` is HOST:PORT of the proxy through which the request was sent.
 */
export function transportFaultOf(
  error: unknown,
  place: string,
  read?: { bytes: number; of?: number },
  proxy?: string,
): Fault {
  if (error instanceof Fault) return error;
  const failure = firstOf(error as Failure);
  const code = failure.code ?? '';
  const unreached = UNREACHED[code] ?? (isTls(code) ? TLS_FAILED : undefined);
  const reason = unreached?.reason ?? (failure.syscall === 'connect' ? reasonOf(code) : undefined);
  if (reason !== undefined) {
    const isOfProxy = proxy !== undefined && (ON_THE_WAY.has(code) || failure.syscall === 'connect');
    return new TransportFault(
      'network',
      `cannot reach ${isOfProxy ? `the proxy ${proxy}` : place} (${reason})`,
      false,
      {
        hint: isOfProxy ? CHECK_PROXY : checkBaseUrl(unreached?.hint),
        retryable: unreached?.final !== true,
        cause: error,
      },
    );
  }
  const broken = brokenRule(failure, read === undefined);
  if (broken !== undefined) {
    // The error object holds what the server sent, so it is not kept as the cause.
    return new Fault('protocol', `${place}: ${BROKEN_RULES} (${broken})`, {
      retryable: false,
      mayBeForTls: failure.name === 'HTTPParserError',
    });
  }
  return new TransportFault('network', `${place}: ${lostWords(code, read)}`, true, {
    retryable: true,
    mayBeForTls: read === undefined && code !== PROXY_REFUSED,
    cause: error,
  });
}

/** The code of undici where a proxy opens no tunnel. */
const PROXY_REFUSED = 'UND_ERR_ABORTED';
/** What is said of a response that is no HTTP. */
export const BROKEN_RULES = 'server broke HTTP rules';

/** Where several addresses of a name were tried, the first failure is reported. */
function firstOf(failure: Failure): Failure {
  return failure.errors?.[0] ?? failure;
}

function isTls(code: string): boolean {
  return /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_)/.test(code);
}

function reasonOf(code: string): string {
  return code === 'ETIMEDOUT' ? 'timeout' : 'connect failed';
}

function brokenRule({ code = '', name, message }: Failure, inHead: boolean): string | undefined {
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'headers too large';
  // undici reports any parser error so once it has seen a content-length; in a head it cannot be about the body's.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return inHead ? 'contradictory or malformed headers' : undefined;
  if (name === 'HTTPParserError') {
    // The parser's own fixed words, in parentheses; it sets no code.
    const rule = /\(([\w ,'"/-]{1,80})\)$/.exec(message ?? '')?.[1]?.toLowerCase() ?? 'not HTTP';
    // A connection that ends in the middle is a network failure, not a protocol error.
    return rule === 'invalid eof state' ? undefined : rule;
  }
  if (code === 'UND_ERR_SOCKET' && message === 'bad response')
    return '100 Continue, which arx did not ask for';
  if (code === 'UND_ERR_SOCKET' && message === 'bad upgrade') return 'a response that was not requested';
  return undefined;
}

function lostWords(code: string, read: { bytes: number; of?: number } | undefined): string {
  if (code === 'UND_ERR_BODY_TIMEOUT') return 'no more data came (too slow)';
  if (code === PROXY_REFUSED) return 'the proxy refused the connection';
  if (read === undefined) return 'connection lost before an answer came';
  return `cut after ${read.bytes}${read.of === undefined ? '' : ` of ${read.of}`} bytes`;
}
