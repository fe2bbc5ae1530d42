// Checks a webhook request. As a program: CLOUDPHONE_KEY=... go run verify.go SIGNATURE < body; exit status 0 when it is genuine.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"os"
)

// verify reports whether the raw body, as it came, has the signature of the header X-Service-Signature.
func verify(rawBody []byte, signature, apiKey string) bool {
	digest := sha256.Sum256([]byte(apiKey))
	// The secret is the hex text itself, not the bytes it encodes.
	mac := hmac.New(sha256.New, []byte(hex.EncodeToString(digest[:])))
	mac.Write(rawBody)
	expected := hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(expected), []byte(signature))
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	if !verify(body, os.Args[1], os.Getenv("CLOUDPHONE_KEY")) {
		fmt.Println("not genuine")
		os.Exit(1)
	}
	fmt.Println("genuine")
}
