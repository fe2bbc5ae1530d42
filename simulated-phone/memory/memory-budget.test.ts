import { expect } from 'chai';
import { MemoryBudget, OutOfMemory, ProcessMemory } from './memory-budget.js';

const MIB = 1024 * 1024;

describe('MemoryBudget', () => {
  it('refuses more than its bytes, and gives back reserved ones', () => {
    const budget = new MemoryBudget(100, new ProcessMemory(MIB));
    const reservation = budget.reserve();
    reservation.grow(60);
    expect(budget.take(41)).to.equal(false);
    expect(() => reservation.grow(41)).to.throw(OutOfMemory);
    expect(budget.take(40)).to.equal(true);
    expect(budget.usedBytes).to.equal(100);
    reservation.release();
    expect(budget.usedBytes).to.equal(40);
  });

  it('leaves each phone its assured part when others have used up the process', () => {
    const process = new ProcessMemory(100 * MIB);
    const greedy = new MemoryBudget(128 * MIB, process);
    const modest = new MemoryBudget(128 * MIB, process);
    expect(greedy.take(108 * MIB)).to.equal(true);
    expect(greedy.take(1)).to.equal(false);
    expect(modest.take(8 * MIB)).to.equal(true);
    expect(modest.take(1)).to.equal(false);
    greedy.free(50 * MIB);
    expect(modest.take(50 * MIB)).to.equal(true);
    greedy.free(58 * MIB);
    modest.free(58 * MIB);
    expect(process.take(100 * MIB)).to.equal(true);
  });
});
