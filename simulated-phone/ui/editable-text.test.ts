import { expect } from 'chai';
import { EditableText } from './editable-text.js';

describe('editable text', () => {
  it('inserts at the caret and replaces a selection', () => {
    const text = new EditableText('ac');
    text.place(1);
    text.insert('b');
    expect([text.text, text.caret]).to.deep.equal(['abc', 2]);
    text.selectAll();
    expect(text.selectedText).to.equal('abc');
    text.insert('x');
    expect([text.text, text.caret]).to.deep.equal(['x', 1]);
  });

  it('deletes whole letters, also those of several code points', () => {
    const text = new EditableText('a👩‍🚀é');
    expect(text.deleteBefore()).to.equal(true);
    expect(text.deleteBefore()).to.equal(true);
    expect(text.text).to.equal('a');
    text.place(0);
    expect(text.deleteBefore()).to.equal(false);
    expect(text.deleteAfter()).to.equal(true);
    expect(text.text).to.equal('');
  });

  it('moves by letters and to the ends of its line, and selects while it moves', () => {
    const text = new EditableText('one\ntwo 😀');
    text.left();
    expect(text.caret).to.equal(8);
    text.lineStart();
    expect(text.caret).to.equal(4);
    text.right(true);
    text.right(true);
    expect(text.selectedText).to.equal('tw');
    text.left();
    expect([text.caret, text.selectedText]).to.deep.equal([4, '']);
    text.lineEnd();
    expect(text.caret).to.equal(10);
  });

  it('stays inside the text', () => {
    const text = new EditableText('ab');
    text.place(99);
    text.right();
    expect(text.caret).to.equal(2);
    text.place(-5);
    text.left();
    expect(text.caret).to.equal(0);
  });
});
