// What becomes of one post of a Mattermost export.
import { expect, test } from 'vitest';
import { readPost } from '../../../../src/service/import/mattermost/post.ts';

const HOOK = 'abcdefghijklmnopqrstuvwxyz';
const ADDRESS = `https://chat.example.org/hooks/${HOOK}`;

test.each([
  ['the name of a channel', { team: 't', channel: ADDRESS }],
  ['the members of a direct channel', { channel_members: [ADDRESS, 'two'] }],
])('credentials in %s are stored nowhere', async (_, where) => {
  const post = {
    user: 'one',
    message: 'words',
    create_at: 1,
    replies: [{ user: 'two', message: 'a', create_at: 2 }],
    ...where,
  };
  const context = {
    directory: { users: new Map(), channels: new Map() },
    held: { read: async () => 'is not in the export', outcomes: new Map() },
    folder: '',
    originCity: null,
    tier: 'internal' as const,
  };
  const texts: string[] = [];
  for await (const item of readPost(post, { path: 'x', position: 0, decodable: true }, context)) {
    if (item.kind !== 'message') throw new Error(item.reason);
    texts.push(Buffer.from(item.raw).toString(), item.key ?? '', ...item.related);
  }
  expect(texts.join('\n')).toContain('/hooks/[token]');
  expect(texts.join('\n')).not.toContain(HOOK);
});
