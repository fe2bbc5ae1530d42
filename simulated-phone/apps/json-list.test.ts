import { expect } from 'chai';
import { MemoryFiles } from '../../testing/phone/screen-world.js';
import { NoteStore, type Note } from './notes/note-store.js';
import { ThreadStore } from './messages/thread-store.js';

/** Files whose reads take a moment, so that changes made at the same time overlap. */
class SlowFiles extends MemoryFiles {
  override async read(path: string): Promise<Buffer> {
    await new Promise((resolve) => setImmediate(resolve));
    return super.read(path);
  }
}

const note = (id: string): Note => ({ id, title: id, body: '', changedMs: 1 });

describe('a list that an app keeps in a file', () => {
  it('loses none of two changes made at the same time', async () => {
    const notes = new NoteStore(new SlowFiles());
    await Promise.all([notes.save(note('a')), notes.save(note('b')), notes.save(note('c'))]);
    await Promise.all([notes.delete('a'), notes.delete('b')]);
    expect((await notes.list()).map(({ id }) => id)).to.deep.equal(['c']);
  });

  it('keeps both of two messages sent at the same time', async () => {
    const threads = new ThreadStore(new SlowFiles(), () => 1_000_000_000);
    await Promise.all([threads.send('mara', 'one', 1000), threads.send('mara', 'two', 1000)]);
    const sent = (await threads.find('mara'))?.messages.slice(-2).map(({ text }) => text);
    expect(sent).to.deep.equal(['one', 'two']);
  });
});
