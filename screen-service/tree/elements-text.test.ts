import { expect } from 'chai';
import { changedText, elementsText } from './elements-text.js';
import type { ScreenElement } from './elements.js';

function element(fields: Partial<ScreenElement> & { y?: number }): ScreenElement {
  const { y = 0, ...rest } = fields;
  return {
    id: 'e1',
    role: 'button',
    text: '',
    label: '',
    words: [],
    resourceId: '',
    className: 'android.widget.Button',
    bounds: { x: 0, y, width: 720, height: 100 },
    states: ['clickable'],
    ...rest,
  };
}

describe('elements as text', () => {
  it('have escapes in their words, and the value of a field after them', () => {
    expect(elementsText([element({ text: 'a "b"\n\\', label: 'c' })])).to.equal(
      String.raw`e1 button "a \"b\"\n\\" "c" @360,50`,
    );
    const field = element({ role: 'textfield', label: 'Title', text: '@1,2 gone', states: ['editable', 'focused'] });
    expect(elementsText([field])).to.equal('e1 textfield "Title" ="@1,2 gone" @360,50 focused');
    expect(elementsText([{ ...field, label: '' }])).to.equal('e1 textfield ="@1,2 gone" @360,50 focused');
  });

  it('are named by their resource id where they have no words, and have the states that their role does not imply', () => {
    const icon = element({ role: 'image', resourceId: 'com.x:id/fab', states: ['clickable', 'long_clickable'] });
    expect(elementsText([icon, element({ role: 'group', states: [] })])).to.equal(
      'e1 image #fab @360,50 clickable long_clickable\ne1 group @360,50 static',
    );
  });

  it('are only the changes: new, other, moved and gone', () => {
    const before = [
      element({ id: 'e1', text: 'Same' }),
      element({ id: 'e2', text: 'Moved', y: 100 }),
      element({ id: 'e3', text: 'Gone', y: 200 }),
      element({ id: 'e4', role: 'switch', text: 'Wi-Fi', y: 300 }),
    ];
    const now = [
      before[0]!,
      element({ id: 'e2', text: 'Moved', y: 150 }),
      element({ id: 'e4', role: 'switch', text: 'Wi-Fi', y: 300, states: ['clickable', 'checked'] }),
      element({ id: 'e5', text: 'New', y: 500 }),
    ];
    expect(changedText(before, now).split('\n')).to.deep.equal([
      'e2 @360,200',
      'e4 switch "Wi-Fi" @360,350 checked',
      'e5 button "New" @360,550',
      'gone e3',
    ]);
    expect(changedText(before, before)).to.equal('');
  });
});
