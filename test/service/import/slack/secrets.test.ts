// Credentials in a Slack export are not stored.
import { describe, expect, test } from 'vitest';
import { withoutSecrets } from '../../../../src/service/import/slack/secrets.ts';

const clean = (value: unknown) => withoutSecrets({ value })['value'];

describe('an address of Slack loses', () => {
  test.each([
    [
      'the token of an export',
      'https://files.slack.com/files-pri/T024BE7LD-F024BERPE/log.txt?t=xoxe-1234567890-abcdef',
      'https://files.slack.com/files-pri/T024BE7LD-F024BERPE/log.txt',
    ],
    [
      'a token beside other parameters',
      'https://files.slack.com/files-pri/T024BE7LD-F024BERPE/log.txt?cid=C024BE91L&amp;t=xoxe-1234567890-abcdef',
      'https://files.slack.com/files-pri/T024BE7LD-F024BERPE/log.txt?cid=C024BE91L',
    ],
    [
      'the secret of a shared file',
      'https://files.slack.com/files-pri/T024BE7LD-F024BERPE/log.txt?pub_secret=1234567890',
      'https://files.slack.com/files-pri/T024BE7LD-F024BERPE/log.txt',
    ],
    [
      'the secret in the path of a shared file',
      'https://slack-files.com/T024BE7LD-F024BERPE-8004f909b1',
      'https://slack-files.com/T024BE7LD-F024BERPE',
    ],
    [
      'the secret of a preview',
      'https://files.slack.com/files-tmb/T024BE7LD-F024BERPE-8004f909b1/log_360.png?t=xoxe-1',
      'https://files.slack.com/files-tmb/T024BE7LD-F024BERPE/log_360.png',
    ],
    [
      'a parameter of unknown meaning',
      'https://a.enterprise.slack.com/files/x?sess=q8f7Wd',
      'https://a.enterprise.slack.com/files/x',
    ],
    ['a fragment', 'https://a.slack.com/x#access_token=1', 'https://a.slack.com/x'],
    ['a name and password', 'https://me:word@a.slack.com/x', 'https://a.slack.com/x'],
    ['a webhook', 'https://hooks.slack.com/services/T1/B1/XyZ', 'https://hooks.slack.com/services'],
    [
      'an invitation',
      'https://join.slack.com/t/a/shared_invite/zt-1-abc',
      'https://join.slack.com/t/a/shared_invite',
    ],
    ['a link to log in', 'https://a.slack.com/z-app-1-2-abc?redir=%2F', 'https://a.slack.com'],
  ])('%s', (_, address, expected) => {
    expect(clean(address)).toBe(expected);
    expect(clean(`see <${address}|here>, "${address}"\n`)).toBe(`see <${expected}|here>, "${expected}"\n`);
  });
});

test.each(['xoxb-1234567890-abcdef', 'xoxe.xoxp-1-Mi0yLTEyMzQ1', 'xapp-1-A01-123-abcdef'])(
  'a token is replaced anywhere: %s',
  (token) => {
    expect(clean([{ text: `use ${token}!`, [token]: 1 }])).toEqual([{ text: 'use [token]!', '[token]': 1 }]);
    expect(clean(`https://elsewhere.example/?t=${token}&a=1`)).toBe(
      'https://elsewhere.example/?t=[token]&a=1',
    );
  },
);

test('all else is the same', () => {
  const entry = {
    link: 'https://a.slack.com/archives/C024BE91L/p1704200000000100?thread_ts=1704200000.000100&cid=C024BE91L',
    drive: 'https://drive.example/file?id=1&resourcekey=0-abc',
    other: 'https://notslack.com/?t=1#token',
    deep: [{ a: null, n: 1.5, text: 'xox is no token\u0000\u2028' }],
  };
  expect(withoutSecrets(entry)).toBe(entry);
});
