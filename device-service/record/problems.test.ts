import { expect } from 'chai';
import { PROBLEMS, type ProblemKind } from '../store/problem-kinds.js';
import { changeByCheck } from './problems.js';

describe('the change of a problem by health checks', () => {
  const problem = (kind: ProblemKind) => ({ kind, message: 'as before', since: new Date(0) });
  const storage = { kind: 'storage' as const, message: 'The storage is full.' };
  const kinds = Object.keys(PROBLEMS) as ProblemKind[];

  it('replaces every problem but those of a phone that cannot be used', () => {
    const hidden = kinds.filter((kind) => kind !== 'storage' && changeByCheck(problem(kind), storage, 1) === undefined);
    expect(hidden).to.deep.equal(['data_lost', 'broken', 'not_stopped', 'stopped_by_itself']);
    expect(changeByCheck(problem('host_away'), storage, 1)).to.deep.equal({
      problem: { ...storage, since: new Date(1) },
    });
  });

  it('clears what health checks found, and nothing else', () => {
    const cleared = kinds.filter((kind) => changeByCheck(problem(kind), undefined, 1) !== undefined);
    expect(cleared).to.deep.equal(['adb', 'identity', 'boot', 'storage', 'screen', 'exit']);
  });

  it('is none where the checks found what is recorded', () => {
    expect(changeByCheck(problem('storage'), storage, 1)).to.equal(undefined);
    expect(changeByCheck(undefined, undefined, 1)).to.equal(undefined);
  });
});
