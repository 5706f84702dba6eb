// What every test starts from: a server of its own with operators and tokens, and a browser in which any
// error on the console fails the test.

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, type Page, test as base, expect } from '@playwright/test';
import { Api } from './api.ts';
import { type Person, type Scope, addPeople, createTokens, people, scopes, signIn } from './people.ts';
import { Database, type Server } from './server.ts';

export { expect };
export { Api } from './api.ts';
export { type Person, password, people, signIn } from './people.ts';
export type { Server } from './server.ts';

export interface Options {
  /** Who is signed in on `page`, or null for nobody. */
  as: Person | null;
  /** Further settings of the server, by their names in the environment. */
  settings: Record<string, string>;
  /** Console errors that belong to the test, such as the browser's own line for a 404, or null for none. */
  allowedErrors: RegExp | null;
}

interface Fixtures {
  server: Server;
  api: Record<Scope | 'anonymous', Api>;
  /** A page on which another person is signed in. */
  pageAs: (person: Person) => Promise<Page>;
  /** Fails where axe finds something that WCAG 2.2 AA does not allow. */
  accessible: (page: Page) => Promise<void>;
  consoleErrors: Watch;
}

interface WorkerFixtures {
  template: Template;
}

/** Made once for each of Playwright's workers and copied for each test: hashing passwords takes its time. */
interface Template {
  folder: string;
  tokens: Record<Scope, string>;
  sessions: Record<Person, Session>;
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

/** A page whose session has ended asks its stream once more, hears so and says it: the browser notes the answer. */
const endedSession = /status of 401 .*\/api\/v1\/events\)$/;

/** A decision that is refused is answered by its own page, with what was typed, and the status of a refusal. */
const refused = /status of (401|409|422) .*\/_fn\/decide(_selection)?\)$/;

class Watch {
  readonly errors: string[] = [];

  over(context: BrowserContext): void {
    context.on('console', (message) => {
      if (message.type() === 'error') this.errors.push(`${message.text()} (${message.location().url})`);
    });
    context.on('weberror', (error) => this.errors.push(String(error.error().stack ?? error.error())));
  }
}

export const test = base.extend<Fixtures & Options, WorkerFixtures>({
  as: ['operator', { option: true }],
  settings: [{}, { option: true }],
  allowedErrors: [null, { option: true }],

  template: [
    async ({ browser }, use) => {
      await inNewFolder(async (folder) => {
        const database = new Database(folder);
        await database.run(['migrate']);
        await addPeople(database);
        const tokens = await createTokens(database);
        const server = await database.serve();
        const sessions = await signInAll(browser, server.url).finally(async () => await server.stop());
        await use({ folder, tokens, sessions });
      });
    },
    { scope: 'worker', timeout: 60_000 },
  ],

  server: async ({ template, settings }, use, info) => {
    await inNewFolder(async (folder) => {
      await cp(template.folder, folder, { recursive: true });
      const server = await new Database(folder, settings).serve();
      try {
        await use(server);
        await server.stop();
      } finally {
        if (info.status !== info.expectedStatus) {
          await info.attach('server.log', { body: server.log, contentType: 'text/plain' });
        }
      }
    });
  },

  baseURL: async ({ server }, use) => {
    await use(server.url);
  },

  storageState: async ({ as, template, server }, use) => {
    await use(as === null ? undefined : sessionOn(server, template.sessions[as]));
  },

  api: async ({ server, template }, use) => {
    const entries = scopes.map((scope) => [scope, new Api(server.url, template.tokens[scope])] as const);
    const named = Object.fromEntries(entries) as Record<Scope, Api>;
    await use({ ...named, anonymous: new Api(server.url, undefined) });
  },

  consoleErrors: [
    async ({ allowedErrors }, use) => {
      const watch = new Watch();
      await use(watch);
      const allowed = [endedSession, refused, ...(allowedErrors === null ? [] : [allowedErrors])];
      const unexpected = watch.errors.filter((error) => !allowed.some((one) => one.test(error)));
      expect(unexpected, 'errors on the console').toEqual([]);
    },
    { auto: true },
  ],

  context: async ({ context, consoleErrors }, use) => {
    consoleErrors.over(context);
    await use(context);
  },

  pageAs: async ({ browser, template, server, baseURL, consoleErrors }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (person) => {
      const storageState = sessionOn(server, template.sessions[person]);
      const context = await browser.newContext({ baseURL, storageState });
      contexts.push(context);
      consoleErrors.over(context);
      return await context.newPage();
    });
    for (const context of contexts) await context.close();
  },

  accessible: async ({}, use) => {
    await use(async (page) => {
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
      const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
      const found = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(' ')}`);
      expect(found, `what axe finds on ${page.url()}`).toEqual([]);
    });
  },
});

/** The session's cookie as this server calls it: without https its name says the port. */
function sessionOn(server: Server, session: Session): Session {
  const name = `holdpoint-${new URL(server.url).port}`;
  const cookies = session.cookies.map((cookie) => (/^holdpoint-\d+$/.test(cookie.name) ? { ...cookie, name } : cookie));
  return { ...session, cookies };
}

async function inNewFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'holdpoint-end2end-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One page for all of them, and no JavaScript: a new window and the wasm each cost more than signing in. */
async function signInAll(browser: Browser, baseURL: string): Promise<Record<Person, Session>> {
  const context = await browser.newContext({ baseURL, javaScriptEnabled: false });
  const page = await context.newPage();
  const sessions = {} as Record<Person, Session>;
  for (const person of Object.keys(people) as Person[]) {
    await signIn(page, person);
    sessions[person] = await context.storageState();
    await context.clearCookies();
  }
  await context.close();
  return sessions;
}
