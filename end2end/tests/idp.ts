// An identity provider of its own for each test: a certified implementation, on this machine, with people whose
// groups and addresses the test changes.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  type IncomingMessage,
  type Server as Listener,
  type RequestListener,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import Provider, { type Context } from 'oidc-provider';

/** What the provider says of somebody. */
export interface Claims {
  email?: string;
  email_verified?: boolean;
  groups?: unknown;
}

export class Idp {
  /** Everybody there is, by what the provider calls them for ever. */
  readonly people = new Map<string, Claims>();
  private readonly secret = randomBytes(24).toString('base64url');
  private readonly key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  private callback: string | undefined;
  private listener: Listener;
  private port = 0;
  /** Who may come back where is known once the server under test listens; until then this one is not ready. */
  private answer: RequestListener = (_, response) => response.writeHead(503).end();

  private constructor() {
    this.listener = this.listens();
  }

  static async start(): Promise<Idp> {
    const idp = new Idp();
    idp.port = await listening(idp.listener, 0);
    return idp;
  }

  private listens(): Listener {
    return createServer((request, response) => this.answer(request, response));
  }

  /** Another site than 127.0.0.1 for a browser, as a provider is. */
  get issuer(): string {
    return `http://localhost:${this.port}`;
  }

  /** What Holdpoint is told of it. */
  get settings(): Record<string, string> {
    return {
      HOLDPOINT_OIDC_ISSUER: this.issuer,
      HOLDPOINT_OIDC_CLIENT_ID: 'holdpoint',
      HOLDPOINT_OIDC_CLIENT_SECRET: this.secret,
      HOLDPOINT_OIDC_NAME: 'Example ID',
      HOLDPOINT_OIDC_ALLOW: '@example.com',
      HOLDPOINT_OIDC_ROLES: 'hp-admins=admin,hp-ops=operator,hp-look=viewer',
      HOLDPOINT_OIDC_SCOPES: 'email,groups',
    };
  }

  /** Lets people in who come from this server. */
  open(server: string): void {
    this.callback = `${server}/login/sso/callback`;
    this.answer = this.ready();
  }

  private ready(): RequestListener {
    const provider = this.provider();
    const others = provider.callback();
    return (request, response) => {
      if (!request.url?.startsWith(asking)) others(request, response);
      else void ask(provider, request, response);
    };
  }

  private provider(): Provider {
    return new Provider(this.issuer, {
      clients: [
        {
          client_id: 'holdpoint',
          client_secret: this.secret,
          redirect_uris: [this.callback],
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
      jwks: { keys: [{ ...this.key.export({ format: 'jwk' }), kid: 'key-1', use: 'sig', alg: 'RS256' }] },
      cookies: { keys: [this.secret] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
      scopes: ['openid', 'email', 'groups'],
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: () => `${asking}login` },
      // Nobody is asked whether the application may know them: it is their employer's.
      loadExistingGrant: async ({ oidc }: Context) => {
        const grant = new oidc.provider.Grant({ clientId: 'holdpoint', accountId: oidc.session.accountId });
        grant.addOIDCScope('openid email groups');
        await grant.save();
        return grant;
      },
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 3600, IdToken: 600, Interaction: 600, Session: 3600 },
      findAccount: (_: unknown, id: string) => {
        const claims = this.people.get(id);
        return claims && { accountId: id, claims: () => Promise.resolve({ sub: id, ...claims }) };
      },
    });
  }

  /** Is gone, as a provider that fails. */
  async stop(): Promise<void> {
    this.listener.closeAllConnections();
    await new Promise((resolve) => this.listener.close(resolve));
  }

  /** Comes back at the same address, with nobody signed in. */
  async comeBack(): Promise<void> {
    this.answer = this.ready();
    this.listener = this.listens();
    await listening(this.listener, this.port);
  }
}

/** Under which address the provider asks who somebody is. */
const asking = '/interaction/';

const form = `<!doctype html><html lang="en"><title>Example ID</title><link rel="icon" href="data:,">
  <form method="post"><label>Who are you? <input name="login"></label> <button>Sign in</button></form></html>`;

async function ask(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(form);
    return;
  }
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += String(part);
  const accountId = new URLSearchParams(body).get('login') ?? '';
  await provider.interactionFinished(request, response, { login: { accountId } });
}

/** Signs in at the provider. */
export async function signInThere(page: Page, who: string): Promise<void> {
  await page.getByLabel('Who are you?').fill(who);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function listening(listener: Listener, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return (listener.address() as AddressInfo).port;
}
