import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { expect } from 'chai';
import { openApi } from '../../testing/openapi.js';

describe('the OpenAPI document, under other tools', function () {
  // They take seconds on a quiet machine.
  this.timeout(180_000);

  it('has no finding of redocly', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloudphone-openapi-'));
    try {
      const file = join(folder, 'openapi.json');
      writeFileSync(file, JSON.stringify(openApi().document));
      writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended-strict]\n');
      const main = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
      const program = [join(dirname(main), 'bin', 'cli.js'), 'lint', file, '--format=json'];
      const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
      const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: folder, env: environment }).catch(
        (error: unknown) => error as { stdout: string },
      );
      const { problems } = JSON.parse(stdout) as {
        problems: { ruleId: string; message: string; location: unknown[] }[];
      };
      // It does not find uses in x-webhooks.
      const events = JSON.stringify(openApi().document['x-webhooks']);
      const isOfEvent = (message: string): boolean =>
        events.includes(`"#/components/schemas/${/^Component: "(\w+)" is never used/.exec(message)?.[1] ?? ''}"`);
      const found = problems.filter(
        ({ ruleId, message, location }) =>
          !(ruleId === 'no-unused-components' && isOfEvent(message)) &&
          // A browser that is sent elsewhere gets 303 alone.
          !(ruleId === 'operation-2xx-response' && /session~1(?:oidc|link)/.test(JSON.stringify(location))),
      );
      const findings = found.map(
        ({ ruleId, message, location }) => `${ruleId}: ${message} ${JSON.stringify(location)}`,
      );
      expect(findings).to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('has no finding of spectral', async () => {
    const spectral = new spectralCore.Spectral();
    spectral.setRuleset({ extends: [spectralRulesets.oas as never] });
    const findings = await spectral.run(openApi().document);
    const texts = findings.map(({ code, message, path }) => `${code}: ${message} at ${path.join('/')}`);
    expect(texts).to.deep.equal([]);
  });
});
