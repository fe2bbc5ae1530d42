import { mkdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { startWorld, type World } from '../world.js';
import { operationIds, ToolFolder } from './tool-folder.js';

const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

const PROGRAM = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.com/made/api"
)

func main() {
	key := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}
	client, err := api.NewClientWithResponses(os.Args[1], api.WithRequestEditorFn(key))
	if err != nil {
		panic(err)
	}
	none := false
	model := "phone-720p"
	body := api.CreateDeviceBody{Model: &model, Plan: api.Plan("minute"), Start: &none}
	body.Name = new(string)
	*body.Name = "gopher"
	body.Network = api.ExitChoice{Type: "direct", Country: "us"}
	made, err := client.CreateDeviceWithResponse(context.Background(), nil, body)
	if err != nil {
		panic(err)
	}
	fmt.Println(made.JSON202.Device.Name, made.JSON202.Job.Kind)
	refused, err := client.CreateDeviceWithResponse(context.Background(), nil, body)
	if err != nil {
		panic(err)
	}
	fmt.Println(refused.JSON400.Error)
}
`;

describe('the client that oapi-codegen makes of the reference for Go', function () {
  // Modules are fetched and compiled, on machines that do other things too.
  this.timeout(600_000);
  let world: World;
  let folder: ToolFolder;
  before(async () => {
    folder = new ToolFolder();
    world = await startWorld();
  });
  after(async () => {
    await world.close();
    folder.remove();
  });

  it('without options has every operation, compiles, and makes a device', async function () {
    folder.write('go.mod', 'module example.com/made\n\ngo 1.22\n');
    // Once fetched, the module is in Go's cache outside of the folder.
    const words = ['run', GENERATOR, '-package', 'api', '-o', folder.at('api', 'api.go')];
    mkdirSync(folder.at('api'));
    await folder.needs(this, 'Go, and the module proxy of Go', 'go', [...words, 'openapi.json']);
    mkdirSync(folder.at('program'));
    folder.write('program/main.go', PROGRAM);
    await folder.needs(this, 'the module proxy of Go', 'go', ['mod', 'tidy']);
    const vetted = await folder.run('go', ['vet', './...']);
    expect(vetted.status, vetted.printed).to.equal(0);

    const text = readFileSync(folder.at('api', 'api.go'), 'utf8');
    const missing = operationIds().filter(
      (id) => !new RegExp(`^func \\(c \\*Client\\) ${id}(WithBody)?\\(`, 'im').test(text),
    );
    expect(missing).to.deep.equal([]);

    const { status, printed } = await folder.run('go', ['run', './program', world.mesh.url, world.key]);
    expect(status, printed).to.equal(0);
    expect(printed).to.match(/^gopher create\nbad_request\n/);
  });
});
