// Pages in a real browser: axe finds nothing, nothing is wider than a telephone, and the keyboard reaches everything.
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archivePage } from '../../../src/format/html/archive-page.ts';
import { verifyPage } from '../../../src/format/html/verify-page.ts';
import { verifyReportOf } from '../../../src/verify/verdicts.ts';
import { archiveReport, emptyReport } from '../../support/archive-report.ts';
import { isInstalled } from '../../support/installed.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const CHROMIUM = '/usr/bin/chromium';
const HAS_BROWSER = isInstalled(CHROMIUM);
if (!HAS_BROWSER) console.error('SKIPPED: pages in a browser (no chromium)');

/** A folder for pictures of all pages; unset: none are made. */
const PICTURES = process.env['ARX_TEST_PICTURES'];
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const LONG_WORD = 'supercalifragilistic'.repeat(12);
const HOSTILE = '</style></title><script>document.title="run"</script><b onclick="x">\u202egpj';

const PAGES: Readonly<Record<string, string>> = {
  plain: archivePage(archiveReport('outer rim'), '0.1.0'),
  hostile: archivePage(archiveReport(HOSTILE), '0.1.0'),
  'long words': archivePage(archiveReport(LONG_WORD), '0.1.0'),
  empty: archivePage(emptyReport(), '0.1.0'),
  verification: verifyPage(
    verifyReportOf(
      [
        { path: 'a/1', id: 'att_1', verdict: 'match', expected: null, actual: null, bytes: 3 },
        { path: 'b/2', id: 'att_2', verdict: 'mismatch', expected: null, actual: null, bytes: 3 },
      ],
      true,
    ),
    'lisbon',
    '0.1.0',
  ),
};

const SCREENS = [
  { name: 'telephone, light', width: 360, height: 740, colorScheme: 'light' },
  { name: 'telephone, dark', width: 360, height: 740, colorScheme: 'dark' },
  { name: 'desktop, light', width: 1280, height: 800, colorScheme: 'light' },
  { name: 'desktop, dark', width: 1280, height: 800, colorScheme: 'dark' },
] as const;

describe.skipIf(!HAS_BROWSER)('pages in a browser', () => {
  const dir = tempFolder('pages');
  const profile = mkdtempSync(join(tmpdir(), 'arx-browser-'));
  let context: BrowserContext;
  beforeAll(async () => {
    for (const [name, document] of Object.entries(PAGES)) writeFileSync(join(dir, `${name}.html`), document);
    context = await chromium.launchPersistentContext(profile, {
      executablePath: CHROMIUM,
      headless: true,
      // The page refuses scripts, and so it would refuse axe. What the policy stops is tested without this.
      bypassCSP: true,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(async () => {
    await context.close();
    rmSync(profile, { recursive: true });
  });

  /** Opens a page on a screen. */
  async function open(name: string, { width, height, colorScheme }: (typeof SCREENS)[number]): Promise<Page> {
    const page = await context.newPage();
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.goto(pathToFileURL(join(dir, `${name}.html`)).href);
    return page;
  }

  describe.each(Object.keys(PAGES))('%s', (name) => {
    // One page on every screen, the others on the two that differ most.
    const screens = SCREENS.filter((_, at) => name === 'plain' || at === 0 || at === 3);
    test.each(screens)('$name: axe finds nothing, and nothing is wider than the screen', async (screen) => {
      const page = await open(name, screen);
      try {
        if (PICTURES !== undefined)
          await page.screenshot({ path: join(PICTURES, `${name}, ${screen.name}.png`), fullPage: true });
        // Folded parts count, too.
        await page.evaluate(`document.querySelectorAll('details').forEach((part) => (part.open = true))`);
        await page.addScriptTag({ path: AXE });
        const { violations, passes } = (await page.evaluate('axe.run()')) as AxeResults;
        expect(passes.length).toBeGreaterThan(10);
        expect(
          violations.map(({ id, nodes }) => ({
            id,
            nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })),
          })),
        ).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(screen.width);
        expect(await page.title()).not.toBe('run');
        // Figures that are moved to the side to be seen are not read. Long words may need it.
        const cut = `[...document.querySelectorAll('.bars')].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.ariaLabel)`;
        if (name === 'plain') expect(await page.evaluate(cut)).toEqual([]);
        const broken = `[...document.querySelectorAll('.tiles b')].filter((each) => each.getClientRects().length > 1 || each.offsetHeight > 40).map((each) => each.textContent)`;
        if (name === 'plain') expect(await page.evaluate(broken)).toEqual([]);
      } finally {
        await page.close();
      }
    });

    test('the Tab key reaches everything that can be used, and each place is outlined', async () => {
      const page = await open(name, SCREENS[0]);
      try {
        const wanted = Number(
          await page.evaluate(`document.querySelectorAll('a, summary, [tabindex="0"]').length`),
        );
        const reached = new Set<unknown>();
        // A region that is folded cannot be used.
        await page.evaluate(`document.querySelectorAll('details').forEach((part) => (part.open = true))`);
        for (let at = 0; at < wanted; at += 1) {
          await page.keyboard.press('Tab');
          const [number, style, width] = (await page.evaluate(`(() => {
            const all = [...document.querySelectorAll('a, summary, [tabindex="0"]')];
            const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
            return [all.indexOf(document.activeElement), outlineStyle, outlineWidth];
          })()`)) as [number, string, string];
          reached.add(number);
          expect(style).not.toBe('none');
          expect(Number.parseFloat(width)).toBeGreaterThan(0);
        }
        expect(reached.size).toBe(wanted);
        expect(reached.has(-1)).toBe(false);
      } finally {
        await page.close();
      }
    });
  });

  test('on paper it is light, and a long table begins where it stands', async () => {
    const page = await open('plain', SCREENS[3]);
    try {
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      const style = (selector: string, name: string) =>
        page.evaluate(`getComputedStyle(document.querySelector('${selector}'))['${name}']`);
      expect(await style('body', 'backgroundColor')).toBe('rgb(251, 251, 249)');
      expect(await style('.sheet:has(table)', 'breakInside')).toBe('auto');
      expect(await style('tr', 'breakInside')).toBe('avoid');
    } finally {
      await page.close();
    }
  });

  test('a link of the page leads to its part', async () => {
    const page = await open('plain', SCREENS[2]);
    try {
      await page.click('nav a:has-text("Sequence drift")');
      expect(new URL(page.url()).hash).toBe('#drift');
      expect(
        await page.evaluate(`document.querySelector('#drift').getBoundingClientRect().top`),
      ).toBeLessThan(800);
    } finally {
      await page.close();
    }
  });
});
