// Requests as exact bytes on a bare socket, and their answers as text.
import { connect } from 'node:net';
import { ErrorBody } from '../../src/contract/error.ts';

/** Sends text (Latin-1) to a port of this machine. Returns what comes back, to its end or until `until` was seen. */
export async function raw({ port }: { port: number }, text: string, until?: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(text, 'latin1');
  let answer = '';
  for await (const chunk of socket) {
    answer += (chunk as Buffer).toString('latin1');
    if (until !== undefined && answer.includes(until)) break;
  }
  socket.destroy();
  return answer;
}

export const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
export const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4);
export const errorOf = (answer: string) => ErrorBody.parse(JSON.parse(bodyOf(answer))).error;
