// What a pull says once about files that an earlier pull kept: the archive no longer gives them, or gives another hash.
import type { App } from '../../app.ts';
import type { ManifestEntry } from '../../download/manifest.ts';
import type { UnlistedResult } from '../../download/puller.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { CHANGED_HASH } from '../../verify/verdicts.ts';

/** What is new of files that an earlier pull kept. Each is a failure of the run: with `-q` nothing else says it. */
export class KeptFileNews {
  /** Those of files that the archive no longer gives. The manifest gets them when that was said. */
  readonly entries: ManifestEntry[] = [];
  #withheld = 0;
  #unlisted = 0;
  #givenUp = 0;
  #changed = 0;

  /** Takes a result with its entry. Returns whether it is news that the run must say before the manifest gets the entry. */
  add({ isNews, isGivenUp, isChanged, file }: UnlistedResult, entry: ManifestEntry): boolean {
    if (isGivenUp === true) this.#givenUp += 1;
    // Its file was replaced, so the manifest must have the new hash at once.
    if (isChanged === true && file?.verdict === 'match') this.#changed += 1;
    if (isNews !== true) return false;
    if (file?.now === 'unlisted') this.#unlisted += 1;
    else this.#withheld += 1;
    this.entries.push(entry);
    return true;
  }

  /** Fails the run with Fault 'partial' for each kind of news. */
  fail(app: Pick<App, 'addFault'>): void {
    const say = (files: number, text: (files: number) => string, hint: string): void => {
      if (files > 0) app.addFault(new Fault('partial', text(files), { isSaidOnce: true, hint }));
    };
    const stay = 'what is in the folder stays, and verify goes on checking it; this is said once';
    say(this.#unlisted, unlistedText, `${stay}. Is it the archive of the earlier pulls?`);
    say(this.#withheld, newlyWithheldText, stay);
    say(
      this.#changed,
      changedText,
      'the manifest has the new hash now, and a file that stood in its place was replaced; this is said once',
    );
    say(this.#givenUp, givenUpText, 'this is said once');
  }
}

/** Returns the words of a plan for what the pull would say once. */
export function plannedNews(news: { withheld: number; unlisted: number; changed: number }): string[] {
  const said = (files: number, text: (files: number) => string): string[] =>
    files === 0 ? [] : [`${text(files)}: the pull says so with exit 3`];
  return [
    ...said(news.unlisted, unlistedText),
    ...said(news.withheld, newlyWithheldText),
    ...said(
      news.changed,
      (files) => `${plural(files, 'file')} would be downloaded again with another hash than before`,
    ),
  ];
}

const isOrAre = (files: number): string => (files === 1 ? 'is' : 'are');

/** Returns the words for files that a pull kept and that the list of the archive no longer has. */
export function unlistedText(files: number): string {
  return `${plural(files, 'kept file')} ${isOrAre(files)} no longer in the archive's list`;
}

/** Returns the words for files that an earlier pull kept and that the archive withholds or lacks now. */
export function newlyWithheldText(files: number): string {
  return `${plural(files, 'file')} that an earlier pull kept ${isOrAre(files)} withheld or absent now`;
}

function changedText(files: number): string {
  const they = files === 1 ? 'it was' : 'they were';
  return `${CHANGED_HASH} for ${plural(files, 'file')} than when ${they} downloaded: ${they} downloaded again`;
}

function givenUpText(files: number): string {
  return `${plural(files, 'file')} that an earlier pull kept ${isOrAre(files)} gone, and the archive no longer gives ${files === 1 ? 'it' : 'them'}: no longer expected (--force)`;
}
