// Libraries that are nearly plugins: MAJOR.MINOR is the version they give, and FAULT is what is
// wrong with them.  The layout is that of pjrt_c_api.h.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING 0   // only the version, if that
#define NULL_API 1  // no API
#define CUT 2       // an API without functions
#define REFUSES 3   // initialisation gives an error
#define CRASHES 4   // so does the process

typedef struct {
  size_t size;
  void* extensions;
  void* error;
  const char* message;  // or the code, of another function
  size_t message_size;
} Args;

static const char MESSAGE[] = "no devices were brought along";

static void* initialise(Args* args) { return FAULT == REFUSES ? (void*)MESSAGE : NULL; }
static void destroy(Args* args) {}
static void message(Args* args) {
  args->message = MESSAGE;
  args->message_size = strlen(MESSAGE);
}
static void* code(Args* args) {
  *(int*)&args->message = 9;  // FAILED_PRECONDITION
  return NULL;
}
static void* attributes(Args* args) { return NULL; }

static struct {
  size_t size;
  void* extensions;
  struct {
    size_t size;
    void* extensions;
    int major, minor;
  } version;
  void* functions[118];  // as many as 0.81 has
} api = {sizeof api, NULL, {24, NULL, MAJOR, MINOR}, {destroy, message, code, initialise, attributes}};

__attribute__((visibility("default"))) void* GetPjrtApi(void) {
  if (FAULT == CRASHES) abort();
  if (FAULT == CUT) memset(api.functions, 0, sizeof api.functions);
  return FAULT == NULL_API ? NULL : &api;
}
