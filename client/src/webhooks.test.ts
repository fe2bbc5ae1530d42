import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { verifyWebhook } from './webhooks.js';

interface Vector {
  what: string;
  api_key: string;
  body: string;
  signature: string;
}

/** Beside the sources, of which dist/ has compiled files only. */
const VECTORS = new URL('../../../docs/webhooks/vectors.json', import.meta.url);

describe('the signature of a webhook', () => {
  const vectors = JSON.parse(readFileSync(VECTORS, 'utf8')) as Vector[];

  for (const { what, api_key: key, body, signature } of vectors) {
    it(`is verified: ${what}`, async () => {
      expect(await verifyWebhook(Buffer.from(body), signature, key)).to.equal(true);
      expect(await verifyWebhook(body, signature, key)).to.equal(true);
      expect(await verifyWebhook(`${body} `, signature, key)).to.equal(false);
      expect(await verifyWebhook(body, signature, `${key}x`)).to.equal(false);
      expect(
        await verifyWebhook(
          body,
          signature.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
          key,
        ),
      ).to.equal(false);
    });
  }

  it('is not genuine when it is missing, or is no hex text', async () => {
    const { api_key: key, body, signature } = vectors[0]!;
    for (const wrong of [undefined, null, '', signature.slice(2), `${signature}00`, signature.toUpperCase(), 'zz']) {
      expect(await verifyWebhook(body, wrong, key), String(wrong)).to.equal(false);
    }
  });
});
