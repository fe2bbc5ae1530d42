import { expect } from 'chai';
import { ALL_TASKS } from './all-tasks.js';

describe('the tasks of the gym', () => {
  it('are 100 with ids and goals of their own', () => {
    expect(ALL_TASKS).to.have.length(100);
    expect(new Set(ALL_TASKS.map(({ id }) => id)).size).to.equal(100);
    expect(new Set(ALL_TASKS.map((task) => task.at(1).goal)).size).to.equal(100);
  });

  it('have the same parameters for the same seed, and most have others for others', () => {
    for (const task of ALL_TASKS) expect(task.at(5).params, task.id).to.deep.equal(task.at(5).params);
    const textOf = (seed: number, index: number): string => JSON.stringify(ALL_TASKS[index]?.at(seed).params);
    const varied = ALL_TASKS.filter((_, at) => new Set([1, 2, 3, 4, 5, 6].map((seed) => textOf(seed, at))).size > 1);
    expect(varied.length).to.be.greaterThan(75);
  });

  it('have a goal in whole sentences, and a script that fits into their steps', () => {
    for (const task of ALL_TASKS) {
      const bound = task.at(3);
      expect(bound.goal, task.id)
        .to.match(/^["\p{Lu}]/u)
        .and.to.not.match(/undefined|NaN/);
      const script = bound.policy();
      if (Array.isArray(script)) expect(script.length, task.id).to.be.below(task.maxSteps);
    }
  });
});
