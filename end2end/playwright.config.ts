import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';
import type { Options } from './tests/fixtures.ts';

const debian = '/usr/bin/chromium';

export default defineConfig<Options>({
  testDir: 'tests',
  reporter: [['list']],
  workers: 2,
  fullyParallel: true,
  forbidOnly: Boolean(process.env['CI']),
  // A test that passes only at its second try has found something.
  retries: 0,
  timeout: 60_000,
  // Some of what is waited for comes every five seconds: a busy machine is no failure.
  expect: { timeout: 15_000 },
  use: {
    browserName: 'chromium',
    // Neither the server's zone nor UTC: a time that is rendered twice in different ways shows.
    timezoneId: 'Asia/Kolkata',
    locale: 'en-GB',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env['HOLDPOINT_CHROMIUM'] ?? (existsSync(debian) ? debian : undefined),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
