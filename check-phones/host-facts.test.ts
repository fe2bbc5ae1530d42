import { expect } from 'chai';
import { hostFactsIn } from './host-facts.js';
import { jsonOf } from './report.js';

describe('the facts of a host in a report of check-phones', () => {
  it('are lines of NAME=VALUE', () => {
    expect(hostFactsIn('engine=docker 27.3\n\n digest=sha256:ab=c \n')).to.deep.equal({
      engine: 'docker 27.3',
      digest: 'sha256:ab=c',
    });
    expect(hostFactsIn('')).to.deep.equal({});
  });

  for (const [name, printed] of [
    ['without a value', 'engine='],
    ['that are a sentence', 'Cannot connect to the Docker daemon'],
    ['that are long', `engine=${'x'.repeat(2_000)}`],
    ['in great number', Array.from({ length: 200 }, (_, at) => `a${at}=b`).join('\n')],
  ] as const)
    it(`are refused: lines ${name}`, () => {
      expect(() => hostFactsIn(printed))
        .to.throw('--about-command')
        .and.to.have.property('message')
        .of.length.below(400);
    });

  it('stand beside the kernel and the model, before the rows', () => {
    const about = { model: 'm', android: '14', kernel: '6.1.0', processor: 'x64', host: { digest: 'sha256:a' } };
    expect(JSON.parse(jsonOf([], about))).to.deep.equal({ ...about, passed: true, rows: [] });
  });
});
