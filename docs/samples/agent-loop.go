// Writes a note on a phone: looks, decides, acts, and looks again. Usage: go run agent-loop.go DEVICE NOTE
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strings"
)

type element struct{ ID, Role, Text, Label string }

type observation struct {
	App      string
	Elements []element
}

type step map[string]any

var adds = regexp.MustCompile("(?i)new|add")

// decide returns one step of `act`, or nil when the goal is reached. This is where a model decides; here are four rules.
func decide(seen observation, note string) step {
	for _, e := range seen.Elements {
		if strings.Contains(e.Text, note) {
			return nil
		}
	}
	if seen.App != "com.cloudphone.notes" {
		return step{"open_app": step{"app": "Notes"}}
	}
	for _, e := range seen.Elements {
		if e.Role == "textfield" {
			return step{"type": step{"element": e.ID, "text": note}}
		}
	}
	for _, e := range seen.Elements {
		if adds.MatchString(e.Text + e.Label) {
			return step{"tap": step{"element": e.ID}}
		}
	}
	return step{"key": step{"name": "back"}}
}

// request sends a GET, or a POST when there is a body, and returns the observation of the response.
func request(path string, body step) observation {
	method, content := "GET", []byte(nil)
	if body != nil {
		method = "POST"
		content, _ = json.Marshal(body)
	}
	req, err := http.NewRequest(method, os.Getenv("CLOUDPHONE_URL")+path, bytes.NewReader(content))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("CLOUDPHONE_KEY"))
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		log.Fatal(response.Status, " ", string(text), err)
	}
	var result struct{ Observation observation }
	if err := json.Unmarshal(text, &result); err != nil {
		log.Fatal(err)
	}
	return result.Observation
}

func main() {
	device, note := os.Args[1], os.Args[2]
	seen := request("/devices/"+device+"/observe?screenshot=none", nil)
	for turn := 1; turn <= 20; turn++ {
		next := decide(seen, note)
		if next == nil {
			fmt.Printf("done in %d turns\n", turn)
			return
		}
		next["observe"] = "elements"
		seen = request("/devices/"+device+"/act", next)
	}
	log.Fatal("The goal was not reached in 20 turns.")
}
