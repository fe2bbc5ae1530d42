#!/usr/bin/env node
// Starts the compiled server. It is a file of its own because npm links a command only to a file that exists at the installation. dist/ is
// compiled later.
import './dist/mcp/src/main.js';
