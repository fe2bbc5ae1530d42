#!/usr/bin/env node
// Starts the built program. It is a file of its own because npm links a command only to a file that exists at the installation. dist/ is
// built later.
import './dist/main.js';
