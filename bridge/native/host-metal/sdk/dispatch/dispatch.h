// Only named in declarations of metal-cpp; no queue is ever made here.
#pragma once

typedef struct dispatch_queue_s* dispatch_queue_t;
typedef struct dispatch_data_s* dispatch_data_t;
