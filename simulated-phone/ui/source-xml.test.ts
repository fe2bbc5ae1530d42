import { expect } from 'chai';
import { sharedDrawing } from '../../testing/phone/screen-world.js';
import { column } from './containers.js';
import { sourceXml } from './source-xml.js';
import { text } from './text-view.js';
import { View } from './view.js';
import { placed } from './visible-views.js';

const DISPLAY = { left: 0, top: 0, width: 360, height: 640 };

function source(root: View, toast?: string): string {
  root.layout({ text: sharedDrawing.text, fontScale: 1, nowMs: 0 }, DISPLAY);
  return sourceXml({
    root: placed(root, { x: 0, y: 0 }, DISPLAY, 0),
    clip: DISPLAY,
    package: 'com.x',
    rotation: 1,
    scale: 2,
    nowMs: 0,
    compressed: false,
    width: 720,
    height: 1280,
    toast: toast === undefined ? undefined : { text: toast, box: { left: 0, top: 0, width: 10, height: 10 } },
  });
}

describe('the source of the UiAutomator2 server', () => {
  it('has tags named by class on lines of their own, and leaves out what has no value', () => {
    const box = new View({ className: 'com.x.Outer$Box', id: 'box', width: 10, height: 20, onClick: () => undefined });
    const lines = source(column({}, [box])).split('\n');
    expect(lines[0]).to.equal("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>");
    expect(lines[1]).to.equal('<hierarchy index="0" class="hierarchy" rotation="1" width="720" height="1280">');
    expect(lines[3]).to.match(
      /^ {4}<com\.x\.Outer\.Box index="0" package="com\.x" class="com\.x\.Outer\$Box" text="" /,
    );
    expect(lines[3])
      .to.contain(' resource-id="com.x:id/box" ')
      .and.to.contain(' bounds="[0,0][20,40]" displayed="true"');
    expect(lines[3]).not.to.contain('content-desc').and.not.to.contain(' hint=');
    expect(lines.at(-1)).to.equal('</hierarchy>');
  });

  it('has the text of a message without its place', () => {
    const line = source(column({}, [text('One')]), 'Saved')
      .split('\n')
      .at(-2);
    expect(line).to.contain('<android.widget.Toast text="Saved"').and.not.to.contain('bounds');
  });
});
