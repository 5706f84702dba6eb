// Case D45: every status is a word and a shape, and can be read in light, in dark, and in the colours that a system
// forces.

import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { every } from './scenes.ts';

interface Seen {
  word: string;
  shape: boolean;
  /** Of the word against what lies under it. */
  contrast: number;
  drawn: string;
}

/** Every status and tag on the page. */
async function statuses(page: Page): Promise<Seen[]> {
  return await page.locator('main .status, main .tag').evaluateAll((all) => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    const ink = canvas.getContext('2d', { willReadFrequently: true });
    const light = (colours: string[]): number => {
      if (ink === null) return 0;
      // One over the other, as they lie on the page.
      for (const colour of colours) {
        ink.fillStyle = colour;
        ink.fillRect(0, 0, 1, 1);
      }
      const [r = 0, g = 0, b = 0] = [...ink.getImageData(0, 0, 1, 1).data].map((part) => {
        const c = part / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return all.filter((one) => one.checkVisibility()).map((one) => {
      const grounds: string[] = [];
      for (let at: Element | null = one; at !== null; at = at.parentElement) grounds.unshift(getComputedStyle(at).backgroundColor);
      const under = light(['Canvas', ...grounds]);
      const word = light(['Canvas', ...grounds, getComputedStyle(one).color]);
      const [dark, bright] = [Math.min(under, word), Math.max(under, word)];
      const shape = one.querySelector('svg');
      const box = shape?.getBoundingClientRect();
      return {
        word: one.textContent?.trim() ?? '',
        shape: box !== undefined && box.width >= 8 && box.height >= 8,
        contrast: (bright + 0.05) / (dark + 0.05),
        drawn: shape?.innerHTML ?? '',
      };
    });
  });
}

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
          const seen = await statuses(page);
          for (const { word, shape, contrast, drawn } of seen) {
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
    });
  }
}
