// assert() is the emulator's own: it stops the launch and names the line.
