#!/usr/bin/env node
// Starts the compiled phone. It is a file of its own because npm links a command only to a file that exists when it installs, and
// dist/ is compiled later.
import './dist/simulated-phone/alone/main.js';
