// What mutt shows of a mail, without a terminal: the text that it would give its pager.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The programs that this needs. */
export const MUTT_PROGRAMS = ['mutt', 'script', 'w3m'];

const PAGER = '#!/bin/sh\ncat "$1" > "$ARX_SHOWN"\n';
const MAILCAP =
  'text/html; w3m -I %{charset} -O UTF-8 -T text/html -dump -cols 9999 %s; copiousoutput; nametemplate=%s.html\n';

const settings = (dir: string): string => `
set folder="${dir}" spoolfile="" record="" header_cache="" sleep_time=0 prompt_after=no wait_key=no quit=yes
set pager="${dir}/pager" mailcap_path="${dir}/mailcap" charset=utf-8 assumed_charset="us-ascii:utf-8:iso-8859-1"
set reflow_text=no smart_wrap=no wrap=0 rfc2047_parameters=yes markers=no
auto_view text/html
alternative_order text/plain text/html
ignore *
unignore from date to subject
hdr_order From Date To Subject
`;

/** Returns a function that gives what mutt shows of a mail; undefined where it shows nothing. */
export function openMutt(dir: string): (mail: string) => string | undefined {
  const box = join(dir, 'box');
  for (const name of ['cur', 'new', 'tmp']) mkdirSync(join(box, name), { recursive: true });
  writeFileSync(join(dir, 'pager'), PAGER, { mode: 0o755 });
  writeFileSync(join(dir, 'mailcap'), MAILCAP);
  writeFileSync(join(dir, 'muttrc'), settings(dir));
  const shown = join(dir, 'shown');
  return (mail) => {
    rmSync(shown, { force: true });
    copyFileSync(mail, join(box, 'cur', '1:2,S'));
    const line = `mutt -n -F '${dir}/muttrc' -f '${box}' -e 'push <display-message><exit>'`;
    execFileSync('script', ['-qec', line, '/dev/null'], {
      env: { ...process.env, HOME: dir, ARX_SHOWN: shown, TERM: 'xterm', LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: 20_000,
    });
    return existsSync(shown) ? readFileSync(shown, 'latin1') : undefined;
  };
}
