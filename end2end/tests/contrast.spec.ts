// Case D45: every status is a word and a shape, and can be read in light, in dark, and in the colours that a system
// forces.

import type { Locator } from '@playwright/test';
import { seen } from './contrast.ts';
import { expect, test } from './fixtures.ts';
import { every } from './scenes.ts';

/** What a pointer lies on before it presses. */
const pressed = 'main a, main button, main summary, .way, .row, .table tbody tr, .cell, .user > summary';
/** What is written within. */
const written = 'a, b, p, span, code, time, td';

for (const colorScheme of ['light', 'dark'] as const) {
  for (const forcedColors of ['none', 'active'] as const) {
    test.describe(`${colorScheme}${forcedColors === 'active' ? ', colours forced' : ''}`, () => {
      test.use({ colorScheme });

      test('case D45: every status is a word and a shape of its own, and can be read', async ({ page, api }) => {
        test.setTimeout(120_000);
        await page.emulateMedia({ colorScheme, forcedColors });
        const keys = await every(api);
        const shapes = new Map<string, string>();
        for (const path of ['/', '/review', '/actions', ...Object.values(keys).map((key) => `/actions/${key}`)]) {
          await page.goto(path);
          for (const { word, shape, contrast, drawn } of await seen(page.locator('main .status, main .tag'))) {
            expect(word, path).not.toBe('');
            expect(shape, `${word} at ${path} has a shape`).toBe(true);
            expect(contrast, `${word} at ${path} can be read`).toBeGreaterThanOrEqual(4.5);
            shapes.set(word, drawn);
          }
        }
        const states = ['In flight', 'Verifying', 'Released', 'Held', 'Succeeded', 'Failed'];
        expect(states.filter((state) => !shapes.has(state)), 'each was seen').toEqual([]);
        expect(new Set(states.map((state) => shapes.get(state))).size, 'each has a shape of its own').toBe(states.length);
      });

      test('case D45: what has the focus shows it, and what is decided differs by more than a hue', async ({ page, api }) => {
        await page.emulateMedia({ colorScheme, forcedColors });
        const { held } = await every(api);
        await page.goto(`/actions/${held}`);
        await page.locator('textarea[name="reason"]').focus();
        for (let n = 0; n < 6; n += 1) {
          const ring = await page.evaluate(() => {
            const style = getComputedStyle(document.activeElement ?? document.body);
            return { style: style.outlineStyle, width: parseFloat(style.outlineWidth) };
          });
          expect(ring.style).not.toBe('none');
          expect(ring.width).toBeGreaterThanOrEqual(2);
          await page.keyboard.press('Tab');
        }
        const answers = page.locator('button[name="decision"]');
        const values = await answers.evaluateAll((all) => all.map((one) => (one as HTMLButtonElement).value));
        expect(values, 'always in this order').toEqual(['retry', 'fail', 'succeed']);
        const drawn = await answers.evaluateAll((all) => all.map((one) => one.querySelector('svg')?.innerHTML));
        expect(new Set(drawn).size).toBe(3);
      });

      test('case D45: words can be read under the pointer and while they are selected', async ({ page, api }) => {
        test.setTimeout(120_000);
        await page.emulateMedia({ colorScheme, forcedColors });
        const { held } = await every(api);
        for (const path of ['/', '/review', '/actions', '/policies', `/actions/${held}`]) {
          await page.goto(path);
          const read = async (what: Locator, how: string, pseudo?: '::selection'): Promise<void> => {
            const worst = (await seen(what, pseudo)).filter(({ own, contrast }) => own && contrast < 4.5);
            expect(worst, `${how} at ${path}`).toEqual([]);
          };
          await read(page.locator('main').locator(written), 'as it is');
          await read(page.locator('main').locator(written), 'selected', '::selection');
          const classes = new Set<string>();
          for (const one of await page.locator(pressed).filter({ visible: true }).all()) {
            const kind = await one.evaluate((element) => [element.tagName, element.className, element.ariaCurrent, element.ariaPressed].filter(Boolean).join(' '));
            if (classes.has(kind)) continue;
            classes.add(kind);
            // Its edge: what lies over its middle has a look of its own. Not its corner, which may be round.
            const height = (await one.boundingBox())?.height ?? 0;
            await one.hover({ position: { x: 3, y: height / 2 }, force: true });
            await read(one, `under the pointer, ${kind}`);
            await read(one.locator(written), `in what is under the pointer, ${kind}`);
          }
          expect(classes.size, `something can be pressed at ${path}`).toBeGreaterThan(3);
        }
      });
    });
  }
}

test.describe('seen twice as large', () => {
  // What 1280 by 720 come to at 200 %.
  test.use({ viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 });

  test('case D45: nothing is wider than the window, and each answer can be reached', async ({ page, api }) => {
    test.setTimeout(120_000);
    const { held } = await every(api);
    for (const path of ['/', '/review', '/actions', '/stale', '/policies', '/policies/send_email', `/actions/${held}`, '/account', `/review?key=${held}`]) {
      await page.goto(path);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(wider, `${path} is wider than the window`).toBeLessThanOrEqual(0);
    }
    for (const answer of await page.locator('button[name="decision"]').all()) {
      await answer.scrollIntoViewIfNeeded();
      await expect(answer).toBeInViewport({ ratio: 0.9 });
    }
  });
});
