// Who uses the server in the tests, and how they sign in.

import { type Page, expect } from '@playwright/test';
import type { Database } from './server.ts';

/** The second operator is there for policies that want two people to agree. */
export const people = {
  viewer: { name: 'vera', role: 'viewer' },
  operator: { name: 'olga', role: 'operator' },
  second: { name: 'omar', role: 'operator' },
  admin: { name: 'amir', role: 'admin' },
} as const;

export type Person = keyof typeof people;

export const password = 'a long password for tests';

export const scopes = ['worker', 'read', 'operator', 'admin'] as const;

export type Scope = (typeof scopes)[number];

export async function addPeople(database: Database): Promise<void> {
  for (const { name, role } of Object.values(people)) {
    await database.run(['operator', 'add', name, '--role', role, '--password-stdin'], `${password}\n`);
  }
}

export async function createTokens(database: Database): Promise<Record<Scope, string>> {
  const create = async (scope: Scope): Promise<string> => {
    const owner = scope === 'operator' || scope === 'admin' ? ['--as', people[scope].name] : [];
    const printed = await database.run(['token', 'create', `test-${scope}`, '--scope', scope, ...owner]);
    const token = /\bhp_\S+/.exec(printed)?.[0];
    if (token === undefined) throw new Error(`\`holdpoint token create\` printed no token: ${printed}`);
    return token;
  };
  return {
    worker: await create('worker'),
    read: await create('read'),
    operator: await create('operator'),
    admin: await create('admin'),
  };
}

/** Fills in the form as a person would. */
export async function signIn(page: Page, person: Person): Promise<void> {
  await page.goto('/login');
  await page.locator('input[name="name"]').fill(people[person].name);
  await page.locator('input[name="password"]').fill(password);
  await page.locator('input[name="password"]').press('Enter');
  await expect(page, 'signing in leads away from /login').not.toHaveURL(/\/login/);
}
