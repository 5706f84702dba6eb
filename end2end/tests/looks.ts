// How pages look: light and dark, wide and narrow. axe finds nothing, nothing is wider than the window.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type Api, type Person, expect, test } from './fixtures.ts';

const shots = join(import.meta.dirname, '../test-results/pages');

type Fill = (page: Page, api: Record<'worker' | 'read' | 'operator' | 'admin', Api>) => Promise<Record<string, string>>;

/** Tests that look at the pages which `fill` leaves something on; it gives their addresses by name. */
export function looks(what: string, as: Person, fill: Fill, settings?: Record<string, string>): void {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1360]) {
      test.describe(`${colorScheme} at ${width}`, () => {
        test.use({ colorScheme, as, viewport: { width, height: 880 } });
        if (settings !== undefined) test.use({ settings });

        test(`how ${what} looks`, async ({ page, api, accessible }) => {
          test.setTimeout(120_000);
          for (const [name, path] of Object.entries(await fill(page, api))) {
            await page.goto(path);
            for (const more of await page.locator('main details.more').all()) await more.evaluate((one) => one.setAttribute('open', ''));
            await mkdir(shots, { recursive: true });
            await page.screenshot({ path: join(shots, `${name}-${colorScheme}-${width}.png`), fullPage: true });
            const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            expect(wider, `${name} is wider than the window`).toBeLessThanOrEqual(0);
            await accessible(page);
          }
        });
      });
    }
  }
}
