import { expect, test } from './fixtures.ts';

test.describe('files inside the binary', () => {
  for (const [path, type] of [
    ['/pkg/holdpoint.js', 'text/javascript; charset=utf-8'],
    ['/pkg/holdpoint_bg.wasm', 'application/wasm'],
    ['/pkg/holdpoint.css', 'text/css; charset=utf-8'],
    ['/favicon.svg', 'image/svg+xml'],
  ] as const) {
    test(`${path} comes with its type, and only once`, async ({ server }) => {
      const first = await fetch(`${server.url}${path}`);
      expect(first.status).toBe(200);
      expect(first.headers.get('content-type')).toBe(type);
      expect(first.headers.get('x-content-type-options')).toBe('nosniff');
      expect((await first.arrayBuffer()).byteLength).toBeGreaterThan(0);

      const tag = first.headers.get('etag') ?? '';
      const again = await fetch(`${server.url}${path}`, { headers: { 'if-none-match': tag } });
      expect(again.status).toBe(304);
    });
  }
});
