// How pages look on which something changed while they were read, and whose stream broke.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Page } from '@playwright/test';
import { heldMail, sentMail } from './actions.ts';
import { Line } from './cut.ts';
import { expect, test } from './fixtures.ts';

const shots = join(import.meta.dirname, '../test-results/pages');

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [360, 1360]) {
    test.describe(`${colorScheme} at ${width}`, () => {
      test.use({
        colorScheme,
        viewport: { width, height: 880 },
        settings: { HOLDPOINT_ALLOWED_HOSTS: '127.0.0.1' },
        allowedErrors: /net::ERR_|Failed to (load resource|fetch)/,
      });

      test('how pages look that changed meanwhile', async ({ page, server, api, accessible }) => {
        test.setTimeout(120_000);
        const look = async (page: Page, name: string): Promise<void> => {
          await mkdir(shots, { recursive: true });
          await page.screenshot({ path: join(shots, `live-${name}-${colorScheme}-${width}.png`) });
          const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          expect(wider, `${name} is wider than the window`).toBeLessThanOrEqual(0);
          await accessible(page);
        };
        const live = async (): Promise<void> => await expect(page.locator('.live-words')).toHaveText('Live');
        const fail = async (held: { key: string; version: number }): Promise<void> => {
          await api.operator.post(`/actions/${held.key}/decide`, { decision: 'fail', reason: 'paid', version: held.version });
        };
        const line = await Line.to(server.url);
        const at = `http://127.0.0.1:${line.port}`;
        const held = [];
        for (let n = 0; n < 5; n += 1) held.push(await heldMail(api.worker, api.read));
        await sentMail(api.worker, 'welcome-1');

        await page.goto(`${at}/review`);
        await live();
        await look(page, 'still');
        await fail(held[2]!);
        await heldMail(api.worker, api.read);
        await expect(page.locator('.live-news')).toContainText('1 new waits, 1 here changed.');
        await look(page, 'review');

        await page.goto(`${at}/actions`);
        await live();
        await fail(held[3]!);
        await expect(page.locator('.moved-mark')).toHaveText('Changed: now failed, by olga');
        await look(page, 'log');

        await page.goto(`${at}/actions/${held[0]!.key}`);
        await live();
        await fail(held[0]!);
        await expect(page.locator('.live-news')).toContainText('This action moved: now failed, by olga.');
        await look(page, 'action');
        line.cut();
        await expect(page.locator('.live-words')).toContainText('Not live since');
        await look(page, 'broken');
        await line.close();
      });
    });
  }
}
