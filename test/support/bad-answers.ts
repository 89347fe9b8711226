// Broken answers of a server, each with the error that it must become, for records and for files.
import type { FaultKind } from '../../src/faults.ts';
import { always, answer, flood, type Script } from './misbehaving-server.ts';

export const silent: Script = () => {};

export type BadAnswer = {
  id: string;
  fault: string;
  script: Script;
  kind: FaultKind;
  words: RegExp;
  /** Requests the server must have seen. */
  requests?: number;
  timeoutMs?: number;
};

export const head = (text: string): string => text.replaceAll('\n', '\r\n');

export const BAD_ANSWERS: BadAnswer[] = [
  {
    id: 'A2',
    fault: 'close before any byte',
    script: (socket) => socket.destroy(),
    kind: 'network',
    words: /connection lost before an answer came \(after 5 tries\)/,
    requests: 5,
  },
  {
    id: 'A8',
    fault: 'two content-lengths',
    script: always(head('HTTP/1.1 200 X\ncontent-length: 2\ncontent-length: 3\n\n') + '{}'),
    kind: 'protocol',
    words: /server broke HTTP rules/,
    requests: 1,
  },
  {
    id: 'A8',
    fault: 'content-length and transfer-encoding',
    script: always(head('HTTP/1.1 200 X\ncontent-length: 2\ntransfer-encoding: chunked\n\n2\n{}\n0\n\n')),
    kind: 'protocol',
    words: /server broke HTTP rules/,
  },
  {
    id: 'A8',
    fault: 'a NUL in a header',
    script: always(head('HTTP/1.1 200 X\ncontent-length: 2\nx-a: b\0c\n\n') + '{}'),
    kind: 'protocol',
    words: /malformed headers/,
  },
  {
    id: 'A10',
    fault: 'a header of 17 KiB',
    script: always(head(`HTTP/1.1 200 X\nx-a: ${'a'.repeat(17 * 1024)}\n\n`)),
    kind: 'protocol',
    words: /headers too large/,
  },
  {
    id: 'A10',
    fault: 'endless headers',
    script: flood('HTTP/1.1 200 X\r\n', `x-a: ${'b'.repeat(2000)}\r\n`, 1),
    kind: 'protocol',
    words: /headers too large/,
  },
  {
    id: 'A11',
    fault: 'headers drip for ever',
    script: flood('HTTP/1.1 200 X\r\nx-a: ', 'a', 20),
    kind: 'network',
    words: /no answer within 0\.3 s/,
    requests: 1,
    timeoutMs: 300,
  },
  {
    id: 'A13',
    fault: 'accepts, then silent',
    script: silent,
    kind: 'network',
    words: /no answer within 0\.3 s/,
    requests: 1,
    timeoutMs: 300,
  },
  {
    id: 'A14',
    fault: 'flood of 103',
    script: flood('', head('HTTP/1.1 103 Early Hints\n\n').repeat(50), 1),
    kind: 'protocol',
    words: /server broke HTTP rules \(status 103\)/,
  },
  {
    id: 'A14',
    fault: 'flood of 100',
    script: flood('', head('HTTP/1.1 100 Continue\n\n').repeat(50), 1),
    kind: 'protocol',
    words: /server broke HTTP rules/,
  },
  {
    id: 'A15',
    fault: 'not HTTP',
    script: always('SSH-2.0-OpenSSH_9.6\r\n'),
    kind: 'protocol',
    words: /HTTP rules/,
  },
  {
    id: 'A15',
    fault: 'HTTP/2 preface',
    script: always(Buffer.from([0, 0, 18, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100])),
    kind: 'protocol',
    words: /HTTP rules/,
  },
  {
    id: 'A15',
    fault: 'bare line feeds',
    script: always('HTTP/1.1 200 X\ncontent-length: 2\n\n{}'),
    kind: 'protocol',
    words: /HTTP rules/,
  },
  {
    id: 'A15',
    fault: 'NUL in a header',
    script: always(head('HTTP/1.1 200 X\nx-a: a\u0000b\ncontent-length: 2\n\n') + '{}'),
    kind: 'protocol',
    words: /HTTP rules/,
  },
  {
    id: 'A16',
    fault: 'status 999',
    script: always(answer(999, '{}')),
    kind: 'protocol',
    words: /status 999/,
  },
  {
    id: 'A16',
    fault: 'status 0',
    script: always(answer(0, '{}')),
    kind: 'protocol',
    words: /HTTP rules|status 0/,
  },
  { id: 'A16', fault: 'status 199', script: always(answer(199, '')), kind: 'protocol', words: /status 199/ },
  {
    id: 'A16',
    fault: 'status 101',
    script: always(answer(101, '', { upgrade: 'x', connection: 'upgrade' })),
    kind: 'protocol',
    words: /HTTP rules/,
  },
];
