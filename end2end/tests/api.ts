// The HTTP API as the tests call it, one caller for each scope.

export interface Answer {
  status: number;
  headers: Headers;
  body: any;
}

export class Api {
  constructor(
    private readonly base: string,
    private readonly token: string | undefined,
  ) {}

  /** Any answer, refusals included. The path is what follows `/api/v1`. */
  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.base}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: json && text !== '' ? JSON.parse(text) : text };
  }

  /** The body of a success; anything else fails the test with what the server said. */
  async get(path: string): Promise<Answer['body']> {
    return await this.done('GET', path);
  }

  async post(path: string, body: unknown = {}): Promise<Answer['body']> {
    return await this.done('POST', path, body);
  }

  async put(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer['body']> {
    return await this.done('PUT', path, body, headers);
  }

  async delete(path: string): Promise<Answer['body']> {
    return await this.done('DELETE', path);
  }

  private async done(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer['body']> {
    const answer = await this.ask(method, path, body, headers);
    if (answer.status < 200 || answer.status > 299) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }
}
