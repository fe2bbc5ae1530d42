import { expect } from 'chai';

interface Found {
  fault: string;
  name: string;
  line: number;
}

const FILES: Record<string, string> = {
  'gateway/app.ts': 'export function app() {}',
  'gateway/http/send.ts': 'export const sendAll = 1;',
  'screen-service/http/read.ts': 'export const readAll = 1;',
  'proto/screen.proto': 'service ScreenService { rpc Observe(ObserveRequest) returns (Observation); }',
};

describe('the check of the page that follows requests', () => {
  let pathFaults: (source: string, files: string[], read: (path: string) => string) => Found[];
  const namesIn = (...lines: string[]): [number, string][] =>
    pathFaults(lines.join('\n'), Object.keys(FILES), (path) => FILES[path] ?? '').map(({ line, name }) => [line, name]);

  before(async () => {
    const path = new URL('../../../scripts/lint/path-faults.js', import.meta.url).href;
    ({ pathFaults } = (await import(path)) as { pathFaults: typeof pathFaults });
  });

  it('knows files by their paths, and those of a folder that was named by the ends of theirs', () => {
    const page = [
      '# Requests',
      '',
      '## `GET /v1/x`',
      '',
      '1. `gateway/app.ts`, then `send.ts`, `http/send.ts` in `http/`.',
    ];
    expect(namesIn(...page)).to.deep.equal([]);
  });

  it('finds files and folders that are not there, with their lines', () => {
    const page = [
      '## One',
      '`gateway/gone.ts`',
      '`gateway/app.ts` `gone.ts`',
      '`gateway/gone/`',
      '## Two',
      '`docs/gone.md`',
    ];
    expect(namesIn(...page)).to.deep.equal([
      [2, 'gateway/gone.ts'],
      [3, 'gone.ts'],
      [4, 'gateway/gone/'],
      [6, 'docs/gone.md'],
    ]);
  });

  it('takes no file of a folder that the section has not named', () => {
    expect(namesIn('## One', '`gateway/app.ts` `read.ts`', '`screen-service/http/` `read.ts`')).to.deep.equal([
      [2, 'read.ts'],
    ]);
    expect(namesIn('## One', '`gateway/app.ts`', '## Two', '`send.ts`')).to.deep.equal([[4, 'send.ts']]);
  });

  it('finds symbols that no file of the section has, and rpcs that no contract has', () => {
    const page = [
      '## One',
      '`gateway/app.ts` `app`',
      '`sendAll`',
      '`ScreenService.Observe`',
      '`ScreenService.Gone`',
      '`GET`',
    ];
    expect(namesIn(...page)).to.deep.equal([
      [3, 'sendAll'],
      [5, 'ScreenService.Gone'],
    ]);
  });
});
