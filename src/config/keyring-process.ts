// The process that makes one call of the keyring: calls block it, and no signal would end the wait for a user in ours.
import { readFileSync, writeSync } from 'node:fs';
import { answerCall, type KeyringCall } from './keyring-calls.ts';

const STDIN = 0;
const STDOUT = 1;

const call = JSON.parse(readFileSync(STDIN, 'utf8')) as KeyringCall;
void answerCall(call).then((answer) => writeSync(STDOUT, JSON.stringify(answer)));
