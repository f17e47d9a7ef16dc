// Command emulator serves DynamoDB, SQS and S3 on a free loopback port, in memory or from the folder in
// KUMO_DATA_DIR. It prints its URL on one line and ends with its standard input, so that it does not
// outlive the stack that started it.
//
// It is a program of its own because the emulator reads its settings before main and keeps one state per
// process: two stacks of one process would share a table.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/sivchari/kumo"
)

func main() {
	server := kumo.NewServer()
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
	server.Close()
}
