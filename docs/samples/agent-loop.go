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

type observation struct {
	App          string
	ElementsText string  `json:"elements_text"`
	ChangedSince *string `json:"changed_since"`
}

type step map[string]any

var place = regexp.MustCompile(`@\d+,\d+`)

// apply applies a response to the lines known so far, by id: the whole list, or what differs from it.
func apply(known map[string]string, seen observation) {
	if seen.ChangedSince == nil {
		clear(known)
	}
	for _, line := range strings.Split(seen.ElementsText, "\n") {
		id, rest, _ := strings.Cut(line, " ")
		switch {
		case id == "gone":
			for _, gone := range strings.Fields(rest) {
				delete(known, gone)
			}
		case strings.HasPrefix(rest, "@"): // Only moved: the place changes, the rest stays.
			known[id] = place.ReplaceAllString(known[id], rest)
		case id != "":
			known[id] = rest
		}
	}
}

// has reports whether any line has the text.
func has(known map[string]string, text string) bool {
	for _, line := range known {
		if strings.Contains(line, text) {
			return true
		}
	}
	return false
}

// decide returns one step of `act`, or nil when the goal is reached. A model would decide here; this sample has four rules.
func decide(app string, known map[string]string, note string) step {
	switch {
	case has(known, note):
		return nil
	case app != "com.cloudphone.notes":
		return step{"open_app": step{"app": "Notes"}}
	case has(known, `textfield "Title"`):
		return step{"type": step{"text": note, "target": step{"text": "Title", "role": "textfield"}}}
	case has(known, `"New note"`):
		return step{"tap": step{"text": "New note"}}
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
	known := map[string]string{}
	seen := request("/devices/"+device+"/observe?screenshot=none&elements=compact", nil)
	for turn := 1; turn <= 20; turn++ {
		apply(known, seen)
		next := decide(seen.App, known, note)
		if next == nil {
			fmt.Printf("done in %d turns\n", turn)
			return
		}
		next["observe"], next["elements"] = "elements", "changed"
		seen = request("/devices/"+device+"/act", next)
	}
	log.Fatal("The goal was not reached in 20 turns.")
}
